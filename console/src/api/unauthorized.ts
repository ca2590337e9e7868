// The session reacts to answers with 401, and itself uses the client: this file stands between them.

let react = (): void => {};

export const onUnauthorized = {
  set(reaction: () => void): void {
    react = reaction;
  },
  run(): void {
    react();
  },
};
