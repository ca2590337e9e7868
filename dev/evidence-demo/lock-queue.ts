// A real problem on the demo's PostgreSQL server: a session forgets its transaction, a schema change waits for it, and
// queries wait behind the schema change.

import postgres from "postgres";

export interface Sessions {
  readonly used: number;
  readonly waiting: number;
  readonly max: number;
}

export interface LockQueue extends AsyncDisposable {
  /** `user:password` of a login that may read statistics and nothing else. */
  readonly credential: string;
  /** The address of the server, without the login. */
  readonly url: string;
  /** Numbers of all sessions, of those that wait for a lock, and of those that the server allows. */
  sessions(): Promise<Sessions>;
}

const LOGIN = "dejavu_checks";
const PASSWORD = "demo";
const OPTIONS = { max: 1, onnotice: () => {}, idle_timeout: 0, connection: { application_name: "orders" } } as const;
/** Waiting sessions: enough to see a queue. */
const WAITING = 3;

/** @param adminUrl of a superuser */
export async function createLockQueue(adminUrl: string): Promise<LockQueue> {
  const admin = postgres(adminUrl, OPTIONS);
  const sessions = [admin];
  const open = () => {
    const session = postgres(adminUrl, OPTIONS);
    sessions.push(session);
    return session;
  };
  const close = async () => {
    await Promise.allSettled(sessions.map((session) => session.end({ timeout: 0 })));
  };
  try {
    await admin.unsafe(`create role ${LOGIN} login password '${PASSWORD}' in role pg_monitor`);
    await admin`create table demo_orders (id bigint primary key, note text)`;
    const forgetful = await open().reserve();
    await forgetful`begin`;
    await forgetful`select count(*) from demo_orders`;
    const isWaiting = async (count: number) => (await admin`select from pg_locks where not granted`).length >= count;
    leaveWaiting(open()`alter table demo_orders add column gift_note text`);
    // Only behind a waiting schema change do plain queries wait.
    await waitFor(() => isWaiting(1));
    for (let i = 0; i < WAITING; i++) leaveWaiting(open()`select count(*) from demo_orders`);
    await waitFor(() => isWaiting(1 + WAITING));
  } catch (error) {
    await close();
    throw error;
  }
  const { hostname, port, pathname } = new URL(adminUrl);
  return {
    credential: `${LOGIN}:${PASSWORD}`,
    url: `postgres://${hostname}:${port}${pathname}`,
    async sessions() {
      const [row] = await admin<Sessions[]>`select count(*)::int as used,
        count(*) filter (where wait_event_type = 'Lock')::int as waiting,
        current_setting('max_connections')::int as max from pg_stat_activity where backend_type = 'client backend'`;
      return row ?? { used: 0, waiting: 0, max: 0 };
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Sends a query that ends with its connection. */
function leaveWaiting(query: PromiseLike<unknown>): void {
  query.then(
    () => {},
    () => {},
  );
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The sessions of the demo do not wait for each other.");
}
