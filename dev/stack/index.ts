/** The local stack's front door for dev/, seeds/ and tests. */
export { StackAlreadyRunningError, StackError } from "./errors.ts";
export { exitOnSignalWith, isStoppedBySignal } from "./exit-hooks.ts";
export { readStackInfo, type StackInfo, type StackInfoReading, stackInfoSchema } from "./stack-info.ts";
export { startStack } from "./start-stack.ts";
export type { PartHandle, PartName, ProgressEvent, Stack, StackOptions, StepName } from "./types.ts";
export { NEEDED_PARTS, PART_NAMES } from "./types.ts";
