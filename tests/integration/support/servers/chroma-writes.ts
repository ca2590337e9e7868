// What a test file changed in Chroma, seen in its requests: only that is emptied between tests. Most tests write to two of
// six collections, and reading the four others to find nothing would be half of a reset.

/** Whether a collection was created or deleted since the collections were listed. */
let isListOutdated = true;
/** Ids of collections that may have records. */
const written = new Set<string>();

const CREATION = /^POST .*\/collections$/;
const DELETION = /^DELETE .*\/collections\/[^/]+$/;
const WRITE = /^POST .*\/collections\/([^/]+)\/(?:add|update|upsert)$/;

/** Call at the start of each file: files may share a process. */
export function resetChromaWrites(): void {
  isListOutdated = true;
  written.clear();
}

/** The server may be a proxy of the test: only method and path count. */
export function noteChromaRequest(method: string, url: string): void {
  const request = `${method} ${url}`;
  const id = WRITE.exec(request)?.[1];
  if (id !== undefined) written.add(id);
  else if (CREATION.test(request) || DELETION.test(request)) isListOutdated = true;
}

/** Whether the collections must be listed anew; from now on they need not. */
export function takeOutdated(): boolean {
  const value = isListOutdated;
  isListOutdated = false;
  return value;
}

/** Whether the collection may have records; from now on it has none. */
export function takeWritten(id: string): boolean {
  return written.delete(id);
}
