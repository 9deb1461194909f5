/** `GET /audit` (docs/operations.md): who changed what, newest first. */
import { Type } from 'typebox';
import { operation } from '../../server/operation.ts';
import { AuditEntrySchema, auditView } from '../../schemas/audit.ts';
import { answer, members, ok } from '../../schemas/build.ts';
import { nextCursor, pageOf, pageParameters } from '../../schemas/page.ts';

export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/audit',
  tag: 'Operator',
  summary: 'List the audit log, newest first',
  description: 'Every change to users, keys, devices and webhooks. The audit log is append-only.',
  query: members(pageParameters),
  answer: answer({ entries: Type.Array(AuditEntrySchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run({ parts, query }) {
    const page = await parts.stores.audit.list(pageOf(query));
    return { entries: page.items.map(auditView), nextCursor: page.nextCursor, status: ok('Audit log listed') };
  },
});
