/**
 * This file reads in a document whether an answer means that nothing was done with the request. Only a plain statement
 * counts, because the request is sent again on the strength of it. A statement that is overlooked only leaves a request
 * in doubt.
 */

const REQUEST =
  '(?:(?:the|your|this|that) )?(?:service )?(?:requests?|calls?|leads?|orders?|jobs?|submissions?|message|it)';
const ACTED = '(?:processed|accepted|taken|created|stored|saved|acted|acted (?:on|upon)|executed|handled)(?: at all)?';
const NOT_BEEN =
  "(?:(?:is|are|was|were|has been|have been|will be) (?:not|never)|(?:has|have|will) (?:not|never)(?: been| be)|(?:is|are|was|were)n't|(?:has|have)n't been|won't be)";
const RETRY =
  '(?:retry|retried|repeat|repeated|re-?send|re-?sent|re-?submit|re-?submitted|send again|sent again|try again)';
/** Words about the time after which to repeat. Nothing else may stand behind a statement about repetitions. */
const TIME =
  '(?: (?:later|again|after|once|in|within|at|from|by|the|a|an|given|stated|indicated|specified|suggested|named|number|of|times?|delay|seconds?|minutes?|interval|period|retry-after|header|value|short|few|while|moment|has|have|passed|elapsed|\\d+))*';
const WHAT = '(?: (?:the|this|that|your|same|request|call|lead|order|it))*';

/** Statements. Each is a whole clause. */
const STATEMENTS = [
  `${REQUEST} ${NOT_BEEN} ${ACTED}`,
  `(?:request|call|lead|order)s? not (?:been )?${ACTED}`,
  `not ${ACTED}`,
  `nothing (?:is|was|has been|will be|gets) (?:done|changed|written|${ACTED})`,
  `no (?:requests?|calls?|leads?|orders?|jobs?|records?|data|changes?|action) (?:is|are|was|were|has been|have been) (?:made|done|changed|written|${ACTED})`,
  `(?:the )?(?:service|server|system|we) (?:did not|didn't|has not|have not) (?:process|accept|take|create|store|save|execute|handle|act on|${ACTED}) ${REQUEST}`,
  `(?:(?:it|this|${REQUEST}) is )?safe (?:for (?:clients|callers|you) )?to (?:be )?${RETRY}${WHAT}${TIME}`,
  `(?:(?:clients|callers|you|${REQUEST}) )?(?:can|may) (?:be )?safely (?:be )?${RETRY}${WHAT}${TIME}`,
  `${REQUEST} (?:can|may) be ${RETRY} safely${TIME}`,
  `(?:retries are|(?:a )?retry is|retrying is) safe${TIME}`,
];
const STATEMENT = new RegExp(`^(?:note that |then )?(?:${STATEMENTS.join('|')})$`);
const CLAUSE_ENDS =
  /[.;:,!()|\n–—]| - |\b(?:and|so|thus|hence|therefore|because|since|due to|(?:which|this) means(?: that)?|meaning(?: that)?)\b/;

/** Words that make a description doubtful, wherever they stand in it. */
const DOUBTFUL = [
  /\?/,
  /\b(?:might|could|perhaps|possibl[ey]|maybe|probabl[ey]|likely|unlikely|sometimes|often|usually|normally|generally|typically|mostly|presumably|supposed(?:ly)?|theoretically|hopefully|apparently|seems?|appears?)\b/,
  /\b(?:may|can)\b(?! (?:be )?safely| be [\w-]+ (?:again )?safely)/,
  /\b(?:unless|whether|except|only|but|however|although|though|otherwise|nevertheless|if|until|yet|still)\b/,
  /\b(?:should|ought|must|need) (?:\w+ )?(?:be|have|not|never)\b|\bought to\b/,
  /\b(?:unclear|unknown|uncertain|unsafe|unsure|undefined|undetermined|doubt\w*|assum\w+|guarante\w+|promis\w+|ensur\w+|expect\w*|attempt\w*|believ\w+|sure|certain)\b/,
  /\b(?:some|most|many|rare|certain) (?:cases?|requests?|leads?|orders?|calls?|situations?|circumstances?)\b|\bidempoten\w*/,
  /\b(?:partial\w*|partly|fully|complet\w+|entire\w*|wholly|in full|in part|in time|in progress|queue\w*|pending|deferred|asynchron\w*|background)\b/,
  /\b(?:check|verif\w+|confirm\w*|look up|make sure|find out)\b/,
  /\b(?:wrong|false|untrue|untested|incorrect|misleading|no longer|formerly|true|careful\w*|care|caution|risk\w*|danger\w*|planned|todo|tbd)\b/,
];
const DENIAL =
  /\b(?:not|never|no|nor|neither|none|nothing|cannot|without|avoid|refrain|dangerous|risky|hardly|barely|don't)\b|n't\b/;
const OF_REPETITION = /\b(?:safe\w*|retr\w+|repe\w+|re-?s[eu]n[dt]\w*|re-?submi\w+|again)\b/;
const OF_ACT =
  /\b(?:process|accept|creat|stor|sav|execut|handl|perform)\w*|\btaken?\b|\bact(?:s|ed|ing)?\b|\btook\b|\breceived\b/;
/** Matches what a service that is not available cannot do, which contradicts no statement. */
const UNABLE =
  /\b(?:cannot|can't|unable to|not able to) (?:currently |temporarily )?(?:process|accept|handle|take|create|execute)\b/;
/** Matches a clause that denies what stands beside it. */
const OPEN_DENIAL = /(?:\b(?:no|not|never|false|nein|none)|n't)$/;

/**
 * Tells whether a description states without doubt that nothing was done with the request. Every clause about what was
 * done, or about repeating the request, has to be such a statement or say no more than when to repeat it.
 */
export function saysNotActed(description: string): boolean {
  const text = plainText(description);
  if (DOUBTFUL.some((each) => each.test(text))) return false;
  const clauses = text.split(CLAUSE_ENDS).map((clause) => clause.trim());
  return clauses.some((clause) => STATEMENT.test(clause)) && !clauses.some(contradicts);
}

function contradicts(clause: string): boolean {
  if (STATEMENT.test(clause) || UNABLE.test(clause)) return false;
  return OPEN_DENIAL.test(clause) || OF_ACT.test(clause) || (OF_REPETITION.test(clause) && DENIAL.test(clause));
}

/**
 * Returns a text in lower case, without marks of emphasis and needless blanks. A line ends a sentence only if the next
 * one looks like the beginning of another. All others are wrapped.
 */
const plainText = (text: string): string =>
  text
    .replace(/\r?\n(?!\s*(?:[-*+•\n\r]|\d+[.)]|\p{Lu}))/gu, ' ')
    .replace(/^\s*[-*+•]\s/gm, '')
    .toLowerCase()
    .replace(/[’`´]/g, "'")
    .replace(/[*_"“”]|(?<!\w)'|'(?!\w)/g, '')
    .replace(/\bcan not\b/g, 'cannot')
    .replace(/[ \t]+/g, ' ');
