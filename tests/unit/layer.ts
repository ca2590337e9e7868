// A layer of functions/: a folder or file, and what it may import.

export interface Layer {
  /** A folder with a slash at its end, or a file at the top; relative to functions/. */
  readonly name: string;
  readonly purpose: string;
  /** Folders and files that it may import besides itself. A folder includes its subfolders. */
  readonly imports: readonly string[];
}
