/** `GET /audit` (docs/operations.md): who changed what, newest first. */
import { Type } from 'typebox';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { AuditEntrySchema, auditView } from '../../schemas/audit.ts';
import { answer, members } from '../../wire/build.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';

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
  async run(call) {
    return answerPages(call, { name: 'entries', done: 'Audit log listed' }, async (piece) => {
      const page = await call.parts.stores.audit.list(piece);
      return { ...page, items: page.items.map(auditView) };
    });
  },
});
