/** A file's text, put into the bundle (scripts/build.mjs) or given by vitest. */
declare module '*?raw' {
  const text: string;
  export default text;
}
