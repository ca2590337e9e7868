/** The local stack's front door for dev/, seeds/ and tests. */

export type { PartHandle, PartName, ProgressEvent, Stack, StackOptions, StepName } from "./stack.ts";
export { NEEDED_PARTS, PART_NAMES } from "./stack.ts";
export { readStackInfo, type StackInfo, type StackInfoReading, stackInfoSchema } from "./stack-info.ts";
export { startStack } from "./start-stack.ts";
export { exitOnSignalWith, isStoppedBySignal } from "./stop-on-signal.ts";
export { StackAlreadyRunningError, StackError } from "./system/errors.ts";
