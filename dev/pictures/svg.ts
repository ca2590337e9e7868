// SVG texts that both colour schemes show: the parts that the pictures of the README share. Pure functions.

export const STYLE = `
    svg { --text: #1f2328; --quiet: #59636e; --line: #818b98; --fill: #f6f8fa; --good: #1a7f37; --name: #0969da; }
    @media (prefers-color-scheme: dark) {
      svg { --text: #f0f6fc; --quiet: #9198a1; --line: #656c76; --fill: #151b23; --good: #3fb950; --name: #4493f8; }
    }`;

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
