import { createRequire as cr, createRequire } from 'node:module';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';

const require = cr(import.meta.url);

import fc from 'fast-check';
import { it } from 'vitest';
import { MARKETS } from '/work/wt/reading/src/request/markets.ts';
import { likelyE164, parsePhone, plainE164 } from '/work/wt/reading/src/request/phone.ts';

it('m', () => {
  const out: string[] = [];
  for (const m of MARKETS) {
    const types = (metadata as any).countries[m.iso][11];
    let n = 0,
      intlRight = 0,
      intlOther = 0,
      intlErr = 0,
      natRight = 0,
      natIntl = 0,
      natErr = 0,
      zero = 0,
      zeroWrong = 0,
      likelyBad = 0;
    const bad = [];
    for (const t of [0, 1]) {
      const pat = types[t]?.[0];
      if (!pat) continue;
      const lens = types[t][1] ?? (metadata as any).countries[m.iso][3];
      const samples = fc.sample(fc.stringMatching(new RegExp('^(?:' + pat + ')$')), { numRuns: 3000, seed: 7 });
      for (const s of samples) {
        const e = '+' + m.callingCode + s;
        const p = parsePhoneNumberFromString(e);
        if (!p?.isValid() || p.number !== e) continue;
        n++;
        const a = parsePhone(e.slice(1), m);
        if (parsePhone('00' + e.slice(1), m).e164 !== e) bad.push('00 ' + e);
        if (a.e164 === e) intlRight++;
        else if (a.e164 === null) {
          intlErr++;
          if (bad.length < 3) bad.push('E ' + e.slice(1) + a.error);
        } else {
          intlOther++;
          bad.push('I ' + e + '→' + a.e164);
        }
        const b = parsePhone(s, m);
        if (b.e164 === e) natRight++;
        else if (b.e164 === null) {
          natErr++;
          bad.push('NE ' + s + b.error);
        } else {
          natIntl++;
          bad.push('N ' + s + '→' + b.e164);
        }
        const c = parsePhone(p.formatNational(), m);
        zero++;
        if (c.e164 !== e) {
          zeroWrong++;
          bad.push('Z ' + p.formatNational() + '→' + c.e164 + c.error);
        }
        for (const cell of [e.slice(1), s, p.formatNational()]) {
          const l = likelyE164(cell, m);
          const r = parsePhone(cell, m).e164;
          if (l !== r && parsePhone(l, m).e164 === l && r !== null) likelyBad++;
        }
      }
    }
    out.push(
      [
        m.code,
        'n',
        n,
        '| noplus right',
        intlRight,
        'err',
        intlErr,
        'OTHER',
        intlOther,
        '| national bare right',
        natRight,
        'err',
        natErr,
        'OTHER',
        natIntl,
        '| formatted wrong',
        zeroWrong,
        'likelyBad',
        likelyBad,
        bad.slice(0, 4).join(' ; '),
      ].join(' '),
    );
  }
  require('node:fs').writeFileSync('/tmp/measure.txt', out.join('\n'));
}, 600000);
