import { createHash } from 'node:crypto';
import { MARKETS } from '../model/markets.ts';
import type { SandboxAnswer } from './answer.ts';
import style from './inbox/inbox.css?raw';
import markup from './inbox/inbox.html?raw';
import script from './inbox/inbox.js?bundled';

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "media-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** As Content-Security-Policy names a text within the page. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const COUNTRIES = MARKETS.map(({ code, name }) => `<option value="${code}">${code} · ${name}</option>`).join('');

/** The inbox, whole. Nothing that was received is in it; it fetches that itself. */
export const INBOX_PAGE: SandboxAnswer = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  },
  // Functions, for a text may hold what `replace` takes for a pattern.
  body: markup
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`)
    .replace('<!-- countries -->', () => COUNTRIES),
};
