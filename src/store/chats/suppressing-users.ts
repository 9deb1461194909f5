/** Users with suppressions, in memory: other users' lists are not queried. */
import type { Kysely } from 'kysely';
import type { Schema } from '../base/schema.ts';
import { type Database, all } from '../base/unit.ts';

/** May include a user whose last suppression was removed, which costs one query. */
export class SuppressingUsers {
  readonly users = new Set<number>();
  tell: (userId: number) => void = () => undefined;

  add(userId: number): void {
    if (this.users.has(userId)) return;
    this.users.add(userId);
    this.tell(userId);
  }

  async load({ sql, database }: { readonly sql: Kysely<Schema>; readonly database: Database }): Promise<void> {
    const rows = await database.read(() => all(sql.selectFrom('suppressions').select('user_id').distinct()));
    for (const row of rows) this.users.add(row.user_id);
  }
}
