import { webPage } from '../../page/web-page.ts';
import { headlineOf, type PageFacts, pageData, titleOf } from './page-facts.ts';
import style from './report.css?raw';
import script from './report.js?bundled';
import body from './report.template?raw';
import type { RunFigures } from './run-figures.ts';

/** Returns the report of a run as one HTML document. */
export function reportPage(figures: RunFigures, facts: PageFacts): string {
  const { status, sign, title, detail } = headlineOf(figures);
  const texts = { title: titleOf(figures), status, sign, headline: title, detail };
  return webPage({ body, texts, style, script, data: pageData(figures, facts) });
}
