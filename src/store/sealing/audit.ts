/** The audit log, written in the transaction of the change it records. */
import { type Actor, type AuditAction, type AuditDetail, type AuditSubject, theService } from '../../domain/audit.ts';
import type { AuditStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import { decodeCursor, pageOf } from '../base/listed.ts';
import { type Unit, all } from '../base/unit.ts';

export type WriteAudit = (
  by: Actor | undefined,
  action: AuditAction,
  subject: AuditSubject,
  detail?: AuditDetail,
) => Unit<void>;

export const auditWriter = ({ sql, now }: Pick<Context, 'sql' | 'now'>): WriteAudit =>
  function* write(by = theService, action, subject, detail = {}) {
    const values = {
      at: now(),
      action,
      user_id: subject.userId ?? null,
      key_id: subject.keyId ?? null,
      device_id: subject.deviceId ?? null,
      actor: JSON.stringify(by),
      detail: JSON.stringify(detail),
    };
    yield* all(sql.insertInto('audit').values(values));
  };

const subjectOf = (row: { user_id: number | null; key_id: number | null; device_id: number | null }): AuditSubject => ({
  ...(row.user_id === null ? {} : { userId: row.user_id }),
  ...(row.key_id === null ? {} : { keyId: row.key_id }),
  ...(row.device_id === null ? {} : { deviceId: row.device_id }),
});

export const auditStore = (context: Context): AuditStore => {
  const { sql, database } = context;
  const write = auditWriter(context);
  return {
    append: (by, action, subject, detail) => database.write(() => write(by, action, subject, detail)),
    list: async ({ limit, cursor }) => {
      let query = sql
        .selectFrom('audit')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (cursor !== null) query = query.where('id', '<', decodeCursor('audit', 1, cursor)[0]!);
      const rows = await database.read(() => all(query));
      return pageOf('audit', rows, limit, {
        item: (row) => ({
          id: row.id,
          at: row.at,
          action: row.action,
          actor: JSON.parse(row.actor),
          subject: subjectOf(row),
          detail: JSON.parse(row.detail),
        }),
        key: (row) => [row.id],
      });
    },
  };
};
