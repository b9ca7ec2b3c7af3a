const IDENTIFYING = new Set(['id', 'uuid', 'guid', 'reference', 'ref', 'number', 'code']);
/** `phone_number`, `status_code`, `user_id`, `incident_id`: named alike, but not what names the request. */
const NOT_IDENTIFYING =
  /^(?:phone|mobile|tel|telephone|fax|post|postal|zip|country|market|lang|language|locale|status|error|http|response|result|user|client|customer|partner|account|category|page|house|street|trace|correlation|contact|currency|region|area|city|dial|calling|incident|support|event|ray|span|session|log|node|server|host|instance|tenant|version|build|debug|app|application)$/;

/** Whether a member of an answer that is called so may name the request. `words`: of its name, in lower case. */
export function isIdentifyingName(words: readonly string[]): boolean {
  return IDENTIFYING.has(words.at(-1) ?? '') && !words.slice(0, -1).some((word) => NOT_IDENTIFYING.test(word));
}
