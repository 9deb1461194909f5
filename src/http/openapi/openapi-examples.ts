/** Examples of the OpenAPI document: what a running service answered and posted, recorded by `npm run examples`. */
import recorded from './examples.json' with { type: 'json' };

type Json = Readonly<Record<string, unknown>>;

const answers: Json = recorded.answers;
const webhooks: Readonly<Record<string, Json>> = recorded.webhooks;

/** `{example}` of a 200 in JSON; nothing where none is recorded. */
export const answerExample = (operationId: string): Json =>
  Object.hasOwn(answers, operationId) ? { example: answers[operationId] } : {};

/** `{examples}` by name: a kind may come in several forms. */
export const webhookExamples = (kind: string): Json => {
  const named = Object.entries(webhooks[kind] ?? {}).map(([name, value]) => [name, { value }]);
  return named.length === 0 ? {} : { examples: Object.fromEntries(named) };
};
