/** The text of a file, which scripts/embedded-text.mjs provides. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** One script that is bundled from a file and everything that it imports. */
declare module '*?bundled' {
  const text: string;
  export default text;
}
