// This module has the switches for faults and settings. They can also be changed by a program or on another page, and
// all pages show the values in force.
import { byId, element } from './elements.js';
import { call } from './sandbox-calls.js';

const USUAL_PERCENT = 10;
const SETTINGS = ['latencyMs', 'ratePerSecond', 'tokenTtlSeconds'];

/** Maps each kind of fault to its switch and its field for the probability in percent. */
const faults = new Map();

export async function startControls() {
  const { kinds } = await call('GET', 'faults');
  for (const [kind, description] of Object.entries(kinds)) byId('faults').append(faultLine(kind, description));
  byId('no-faults').addEventListener('click', () => {
    for (const { toggle } of faults.values()) toggle.checked = false;
    sendFaults();
  });
  for (const name of SETTINGS) byId(name).addEventListener('change', () => sendSetting(byId(name)));
  byId('settings').addEventListener('submit', (event) => event.preventDefault());
}

function faultLine(kind, description) {
  const toggle = element('input', '');
  toggle.type = 'checkbox';
  toggle.setAttribute('role', 'switch');
  toggle.addEventListener('change', sendFaults);
  const percent = element('input', '');
  Object.assign(percent, { type: 'number', min: '0', max: '100', step: 'any', value: String(USUAL_PERCENT) });
  percent.setAttribute('aria-label', `Probability of ${kind} in percent`);
  percent.addEventListener('change', () => {
    if (toggle.checked) sendFaults();
  });
  faults.set(kind, { toggle, percent });
  const label = element('label', '', toggle, element('span', '', element('strong', '', kind), ` ${description}`));
  return element('li', '', label, element('span', 'percent', percent, ' %'));
}

async function sendFaults() {
  const rates = {};
  for (const [kind, { toggle, percent }] of faults) {
    if (toggle.checked) rates[kind] = percent.valueAsNumber / 100;
  }
  await change('faults', rates);
}

async function sendSetting(field) {
  await change('settings', { [field.name]: field.value === '' ? null : field.valueAsNumber });
}

async function change(what, body) {
  try {
    await call('PUT', what, body);
    byId('refused').textContent = '';
  } catch (error) {
    byId('refused').textContent = error.message;
  }
}

/** Shows the values in force, except in a field that has the focus. */
export function controlsChanged({ faults: rates, settings }) {
  for (const [kind, { toggle, percent }] of faults) {
    const rate = rates[kind] ?? 0;
    toggle.checked = rate > 0;
    if (rate > 0) fillIn(percent, percentOf(rate));
  }
  for (const name of SETTINGS) fillIn(byId(name), settings[name] ?? '');
  byId('in-force').textContent = inForce(rates, settings);
}

function fillIn(field, value) {
  if (field !== document.activeElement) field.value = String(value);
}

/** Formats a share as a percentage. 0.07 is shown as 7 and not as 7.000000000000001. */
const percentOf = (rate) => Number((rate * 100).toPrecision(12));

function inForce(rates, { latencyMs, ratePerSecond, tokenTtlSeconds }) {
  const struck = Object.entries(rates).filter(([, rate]) => rate > 0);
  return [
    struck.length === 0 ? 'no faults' : struck.map(([kind, rate]) => `${kind} ${percentOf(rate)} %`).join(', '),
    latencyMs > 0 ? `${latencyMs} ms latency` : 'no latency',
    ratePerSecond === null ? 'no limit of requests' : `${ratePerSecond} requests a second`,
    `tokens live ${tokenTtlSeconds} s`,
  ].join(' · ');
}
