// What the codes of error lines mean: exit codes, signals, errno, statuses of HTTP and gRPC, SQLSTATE, reasons of Kubernetes and
// errors of AWS. One table for every use of a code.

/** Signals by number, as Linux numbers them on x86 and Arm. */
const SIGNALS: Readonly<Record<number, readonly [name: string, meaning: string]>> = {
  1: ["SIGHUP", "the terminal or parent ended, or a reload was requested"],
  2: ["SIGINT", "interrupted from the keyboard"],
  3: ["SIGQUIT", "quit from the keyboard, with a core dump"],
  4: ["SIGILL", "illegal instruction, often a program built for another processor"],
  5: ["SIGTRAP", "stopped by a trap of the program or a debugger"],
  6: ["SIGABRT", "aborted by the program itself, such as a failed assertion"],
  7: ["SIGBUS", "memory that cannot be reached, such as a mapped file that was cut or a full /dev/shm"],
  8: ["SIGFPE", "arithmetic error, such as a division by zero"],
  9: ["SIGKILL", "killed at once, often because memory ran out or a stop took too long"],
  11: ["SIGSEGV", "crashed: invalid memory access"],
  13: ["SIGPIPE", "wrote to a pipe or socket that nobody reads any more"],
  14: ["SIGALRM", "a timer of the program ran out"],
  15: ["SIGTERM", "ended on request, as at a stop or restart"],
  24: ["SIGXCPU", "limit of CPU time reached"],
  25: ["SIGXFSZ", "limit of file size reached"],
  31: ["SIGSYS", "forbidden system call, often a seccomp profile"],
};

const EXIT_CODES: Readonly<Record<string, string>> = {
  125: "the container runtime could not start the container",
  126: "the command cannot be run: no permission, or no program",
  127: "command not found",
  128: "invalid exit code, or a failed git command",
  255: "exit code out of range, or a failed ssh connection",
};

const ERRNO: Readonly<Record<string, string>> = {
  EACCES: "permission denied by the file's owner or mode",
  EADDRINUSE: "another process listens on the address",
  EADDRNOTAVAIL: "no such local address, or no free local port",
  EAGAIN: "a resource is not available at this moment: a limit of threads, processes or buffers",
  EAI_AGAIN: "name resolution failed for the moment: the DNS server does not answer",
  EBADF: "file descriptor that is not open",
  EBUSY: "in use by somebody else",
  ECONNABORTED: "connection given up by this side",
  ECONNREFUSED: "nobody listens on that address and port",
  ECONNRESET: "the other side closed the connection at once",
  EDQUOT: "quota of disk space reached",
  EEXIST: "exists already",
  EFAULT: "invalid memory address",
  EFBIG: "file larger than its limit",
  EHOSTDOWN: "host is down",
  EHOSTUNREACH: "no route to the host, or a firewall rejects it",
  EINVAL: "invalid argument",
  EIO: "input or output failed: look at the device",
  EISDIR: "is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files of this process",
  EMLINK: "too many links",
  EMSGSIZE: "message longer than the limit",
  ENAMETOOLONG: "name longer than the limit",
  ENETDOWN: "network is down",
  ENETUNREACH: "no route to the network",
  ENFILE: "too many open files of the whole system",
  ENOENT: "no such file or directory",
  ENOEXEC: "no program, or one for another processor",
  ENOMEM: "memory could not be allocated",
  ENOSPC: "no space or no inotify watches left",
  ENOTCONN: "socket is not connected",
  ENOTEMPTY: "directory is not empty",
  ENOTFOUND: "name does not resolve",
  ENOTSUP: "not supported",
  ENXIO: "no such device, or nobody reads the pipe",
  EPERM: "not permitted for this user or its capabilities",
  EPIPE: "wrote to a connection or pipe that the other side closed",
  EPROTO: "protocol error, such as plain HTTP where TLS is expected",
  EROFS: "read-only file system",
  ESTALE: "file handle of a network file system is no longer valid",
  ETIMEDOUT: "no answer in time",
  ETXTBSY: "program file is being written or run",
};

export const ERRNO_NAMES: readonly string[] = Object.keys(ERRNO);

const HTTP: Readonly<Record<string, string>> = {
  400: "request not understood",
  401: "credentials missing or not accepted",
  403: "not allowed with these credentials",
  404: "no such path",
  405: "method not allowed there",
  407: "proxy asks for credentials",
  408: "client did not send its request in time",
  409: "conflict with the present state",
  410: "gone for good",
  411: "length of the body is missing",
  412: "condition of the request not met",
  413: "body larger than the limit",
  414: "address longer than the limit",
  415: "type of the body not accepted",
  421: "sent to a server that does not answer for that name",
  422: "understood, but not valid",
  425: "sent too early",
  429: "too many requests: a rate limit",
  431: "headers larger than the limit",
  499: "client closed the connection before the answer (nginx)",
  500: "error inside the server",
  501: "not implemented",
  502: "gateway got no valid answer from the server behind it",
  503: "server unavailable or overloaded, or no server behind the gateway",
  504: "gateway got no answer in time from the server behind it",
  507: "no storage left",
  520: "Cloudflare got an unknown answer from the origin",
  521: "origin refuses Cloudflare's connection",
  522: "connection from Cloudflare to the origin timed out",
  523: "Cloudflare cannot reach the origin",
  524: "origin did not answer Cloudflare in time",
  525: "TLS handshake of Cloudflare and the origin failed",
  526: "Cloudflare does not accept the origin's certificate",
};

/** By number: the position is the code. */
const GRPC: readonly (readonly [name: string, meaning: string])[] = [
  ["OK", ""],
  ["Canceled", "caller gave up"],
  ["Unknown", "error without a known kind"],
  ["InvalidArgument", "argument not valid"],
  ["DeadlineExceeded", "no answer before the deadline"],
  ["NotFound", "no such object"],
  ["AlreadyExists", "exists already"],
  ["PermissionDenied", "not allowed for this caller"],
  ["ResourceExhausted", "quota, rate limit or message size reached"],
  ["FailedPrecondition", "system is not in the state that this needs"],
  ["Aborted", "given up because of a conflict: try again"],
  ["OutOfRange", "beyond the valid range"],
  ["Unimplemented", "server does not offer this method"],
  ["Internal", "error inside the server or between protocols"],
  ["Unavailable", "service cannot be reached at this moment"],
  ["DataLoss", "data lost or corrupt"],
  ["Unauthenticated", "credentials missing or not accepted"],
];

const SQL_STATES: Readonly<Record<string, string>> = {
  "08001": "client could not connect",
  "08003": "connection does not exist",
  "08004": "server rejected the connection",
  "08006": "connection lost",
  "22001": "text longer than its column",
  "22003": "number out of range",
  "23502": "null in a column that must not be null",
  "23503": "foreign key violated",
  "23505": "unique key violated",
  "23514": "check constraint violated",
  "25006": "write in a read-only transaction: often a replica",
  "25P02": "transaction failed before: roll back",
  "25P03": "idle in a transaction for too long",
  "28000": "user not accepted",
  "28P01": "wrong password",
  "3D000": "no such database",
  "40001": "serialisation failure: run the transaction again",
  "40P01": "deadlock",
  "42501": "privilege missing",
  "42601": "syntax error",
  "42703": "no such column",
  "42883": "no such function",
  "42P01": "no such table",
  "42P05": "prepared statement exists already",
  "26000": "no such prepared statement: often a pooler in transaction mode",
  "53100": "disk full",
  "53200": "out of memory",
  "53300": "too many connections",
  "55000": "object is not in the state that this needs",
  "55006": "object in use",
  "55P03": "lock not available",
  "57014": "cancelled: statement timeout or user",
  "57P01": "ended by an administrator",
  "57P02": "ended by a crash of another process",
  "57P03": "server cannot accept connections now",
  "58030": "input or output failed",
  "58P01": "file of the server is missing",
  XX000: "internal error",
  XX001: "data corrupted",
  XX002: "index corrupted",
  HY000: "general error",
};

/** Words of one piece: reasons of Kubernetes, and errors of AWS. */
const NAMES: Readonly<Record<string, string>> = {
  OOMKilled: "memory limit reached: the kernel killed it",
  CrashLoopBackOff: "the container ends again and again; the reason is in its former log",
  ImagePullBackOff: "the image could not be pulled",
  ErrImagePull: "the image could not be pulled",
  ErrImageNeverPull: "the image is not on the node and must not be pulled",
  InvalidImageName: "the image's name is not valid",
  CreateContainerConfigError: "a ConfigMap, Secret or key that the container needs is missing",
  CreateContainerError: "the runtime could not create the container",
  RunContainerError: "the runtime could not start the container",
  ContainerCannotRun: "the command of the container cannot be run",
  FailedScheduling: "no node fits the pod",
  FailedMount: "a volume could not be mounted",
  FailedAttachVolume: "a volume could not be attached to the node",
  FailedCreatePodSandBox: "the pod's network or sandbox could not be made",
  FailedCreate: "the controller could not create the pod",
  FailedBinding: "no volume for the claim",
  ProvisioningFailed: "the volume could not be provisioned",
  Evicted: "the node ran short of a resource and put the pod out",
  NodeNotReady: "the node does not report as ready",
  ProgressDeadlineExceeded: "the rollout did not get on in time",
  BackoffLimitExceeded: "the job failed as often as it may",
  FailedKillPod: "the pod could not be stopped",
  NetworkNotReady: "the network plugin of the node is not ready",
  InvalidDiskCapacity: "the node reports a disk without size",
  AccessDenied: "a policy does not allow it",
  AccessDeniedException: "a policy does not allow it",
  UnauthorizedOperation: "a policy does not allow it",
  AuthFailure: "credentials not accepted",
  ExpiredToken: "temporary credentials ran out",
  ExpiredTokenException: "temporary credentials ran out",
  InvalidClientTokenId: "access key does not exist",
  UnrecognizedClientException: "access key or token does not exist",
  SignatureDoesNotMatch: "wrong secret key, or a changed request",
  RequestTimeTooSkewed: "clock of the client is wrong",
  InvalidIdentityToken: "the identity provider or its token is not accepted",
  Throttling: "too many requests: a rate limit",
  ThrottlingException: "too many requests: a rate limit",
  TooManyRequestsException: "too many requests: a rate limit",
  RequestLimitExceeded: "too many requests: a rate limit",
  ProvisionedThroughputExceededException: "reads or writes above what is provisioned",
  SlowDown: "too many requests to one prefix of a bucket",
  ConditionalCheckFailedException: "item changed meanwhile",
  LimitExceededException: "quota of the account reached",
  ServiceQuotaExceededException: "quota of the account reached",
  InstanceLimitExceeded: "quota of instances reached",
  VcpuLimitExceeded: "quota of vCPUs reached",
  AddressLimitExceeded: "quota of public addresses reached",
  InsufficientInstanceCapacity: "no machines of this type in the zone at this moment",
  InsufficientFreeAddressesInSubnet: "no free addresses in the subnet",
  DependencyViolation: "something else still uses it",
  ResourceInUseException: "in use, or exists already",
  ResourceNotFoundException: "no such resource in this account and region",
  NoSuchBucket: "no such bucket",
  NoSuchKey: "no such object",
  NoSuchUpload: "the upload was ended or never began",
  KMSAccessDeniedException: "a policy does not allow the key",
  OptInRequired: "the region or service is not enabled for the account",
};

const PREFIX = { exit: "exit ", status: "status ", sqlState: "sqlstate ", grpc: "grpc " } as const;

export function exitCode(number: string): string {
  return PREFIX.exit + number;
}

export function statusCode(number: string): string {
  return PREFIX.status + number;
}

export function sqlStateCode(state: string): string {
  return PREFIX.sqlState + state.toUpperCase();
}

/** @param code a number, or a name in any style: `14`, `Unavailable`, `DEADLINE_EXCEEDED`; null for another word */
export function grpcCode(code: string): string | null {
  const plain = code.replaceAll("_", "").toLowerCase();
  const entry = GRPC[Number(code)] ?? GRPC.find(([name]) => name.toLowerCase() === plain);
  return entry === undefined || entry[0] === "OK" ? null : PREFIX.grpc + entry[0];
}

/** @param signal a number, or a name with or without SIG: `9`, `KILL`, `killed`; null for another word */
export function signalCode(signal: string): string | null {
  const name = signal.toUpperCase();
  const spoken = name === "KILLED" ? "KILL" : name === "TERMINATED" ? "TERM" : name === "ABORTED" ? "ABRT" : name;
  const entry =
    SIGNALS[Number(signal)] ?? Object.values(SIGNALS).find(([each]) => each === spoken || each === `SIG${spoken}`);
  return entry?.[0] ?? null;
}

/** The signal that ended a process with this exit code; null below 129 and for unnamed signals. */
export function signalOfExit(number: string): string | null {
  return SIGNALS[Number(number) - 128]?.[0] ?? null;
}

/** What a code means, in a few words; null for one that says nothing by itself. */
export function meaningOf(code: string): string | null {
  const [kind, value] = [code.slice(0, code.indexOf(" ") + 1), code.slice(code.indexOf(" ") + 1)];
  if (kind === PREFIX.exit) {
    const signal = SIGNALS[Number(value) - 128];
    return own(EXIT_CODES, value) ?? (signal ? `${signal[0]}: ${signal[1]}` : null);
  }
  if (kind === PREFIX.status) return own(HTTP, value);
  if (kind === PREFIX.sqlState) return own(SQL_STATES, value);
  if (kind === PREFIX.grpc) return GRPC.find(([name]) => name === value)?.[1] ?? null;
  return own(ERRNO, value) ?? own(NAMES, value) ?? Object.values(SIGNALS).find(([name]) => name === value)?.[1] ?? null;
}

function own(table: Readonly<Record<string, string>>, key: string): string | null {
  return Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}
