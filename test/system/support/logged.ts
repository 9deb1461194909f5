/** What the services of a run have logged as errors, for its summary and its verdict. */
import type { LoggedError } from './child.ts';

/** Faults of the service itself: nothing that breaks around it is a reason for one of these. */
const faults: ReadonlySet<string> = new Set([
  'something has failed that nobody waits for',
  'a stanza could not be handled',
  'failed to translate a stanza',
  'a session event handler failed',
  'a listener for new events failed',
  'webhook attempt failed unexpectedly',
  'could not draw the QR',
  'Promise errored, but reply.sent = true was set',
]);

/** Of JavaScript itself: the service's own errors have names. */
const unnamed = /^(?:Error|(?:Type|Range|Reference|Syntax)Error)$/;

const isFault = ({ msg, error }: LoggedError): boolean =>
  faults.has(msg) || (typeof error === 'object' && unnamed.test(error.type));

/** Without numbers: of many devices it is one line. */
const lineOf = ({ msg, error, reason }: LoggedError): string => {
  const what = typeof error === 'object' ? `${error.type}, ${error.message}` : (error ?? reason ?? '');
  return `${msg}: ${what}`.replaceAll(/\d+/g, '…');
};

/** Each line once, with its count. */
const counted = (errors: readonly LoggedError[]): string[] =>
  [...Map.groupBy(errors, lineOf)].map(([line, same]) => `${same.length} × ${line}`);

export const printLogged = (errors: readonly LoggedError[]): void => {
  for (const line of counted(errors)) console.log(`  logged             ${line}`);
};

export const faultsIn = (errors: readonly LoggedError[]): string[] =>
  counted(errors.filter(isFault)).map((line) => `the service has logged ${line}`);
