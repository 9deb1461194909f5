/** Seals the settings that a version before has stored in the clear: each start looks for them, since that version may run beside this one, or again after it. */
import type { Context } from '../base/context.ts';
import { type Unit, all } from '../base/unit.ts';
import { changedSettings, hasUnsealed } from '../sealing/stored-settings.ts';

export const sealSettings = async ({ sql, sealer, database }: Context): Promise<void> => {
  const rows = sql
    .selectFrom('devices')
    .select(['id', 'settings', 'sealed_settings'])
    .where('settings', 'is not', null);
  function* seal(): Unit<number> {
    const found = (yield* all(rows)).filter(hasUnsealed);
    for (const row of found) {
      const update = sql.updateTable('devices').set(changedSettings(sealer, row, {}));
      // Unless it has been changed meanwhile, by another node.
      yield* all(update.where('id', '=', row.id).where('settings', '=', row.settings));
    }
    return found.length;
  }
  // The log of the database has them as well.
  if ((await database.write(seal)) > 0) await database.scrub();
};
