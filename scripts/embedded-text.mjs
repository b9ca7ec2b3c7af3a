import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * For bundler and vitest: `import text from './page.css?raw'` gives the file's text, a style with those that it imports in
 * their places, and `'./page.js?bundled'` one script made of it and all that it imports.
 * @returns {import('vitest/config').Plugin}
 */
export function embeddedText() {
  return {
    name: 'embedded-text',
    enforce: 'pre',
    resolveId(name, importer) {
      const [path = '', kind = ''] = name.split('?');
      return kind === 'raw' || kind === 'bundled' ? `\0${kind}:${resolve(dirname(importer), path)}:text` : null;
    },
    async load(id) {
      const [, kind, path] = ID.exec(id) ?? [];
      if (path === undefined) return null;
      const text = kind === 'bundled' ? await bundled(path) : textOf(path);
      return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' };
    },
  };
}

// Does not end as the file does: other plugins would know it by its ending, and make something else of it.
const ID = /^\0(raw|bundled):(.*):text$/;

function textOf(path) {
  const text = readFileSync(path, 'utf8');
  const inPlace = (_, name) => textOf(resolve(dirname(path), name));
  return path.endsWith('.css') ? text.replace(/^@import "([^"]+)";\n/gm, inPlace) : text;
}

async function bundled(path) {
  const bundle = await rolldown({ input: path });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}
