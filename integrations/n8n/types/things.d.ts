/** What the service takes and answers, as the client library has it from the contract. */
import type { components, operations } from '../../../client/src/schema.ts' with { 'resolution-mode': 'import' };

export type Things = components['schemas'];

/** Members of the answer of an operation. */
export type MemberOf<Op extends keyof operations> = operations[Op]['responses'] extends {
  200: { content: { 'application/json': infer Body } };
}
  ? keyof Body
  : never;
