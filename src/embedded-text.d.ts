/** A file's text, given by scripts/embedded-text.mjs. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** One script made of a file and all that it imports. */
declare module '*?bundled' {
  const text: string;
  export default text;
}
