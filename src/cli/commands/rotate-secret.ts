/** `handset rotate-secret`: seals everything at rest with a new secret; the service (or every node of it) must be stopped. */
import type { Command } from '../command.ts';

export const rotateSecretCommand: Command = {
  words: 'rotate-secret',
  summary: 'Seal everything at rest with a new secret; stop the service first',
  positionals: [],
  options: {},
  optionHelp: {},
  anonymous: true,
  async run({ config, out }) {
    const { rotateSecret, rotateSharedSecret } = await import('../../main/offline.ts');
    const { dataDir, newSecret, databaseUrl = null } = config.offline;
    using _ = out.progress('Sealing everything anew');
    const { resealed, verified } = await (databaseUrl === null
      ? rotateSecret(config.offline)
      : rotateSharedSecret({ ...config.offline, databaseUrl }));
    out.value({ resealed, verified });
    out.line(`${resealed} values were sealed anew; all ${verified} open with the new secret.`);
    const next =
      newSecret === null
        ? `It is the file ${dataDir}/secret: copy it to where you keep it.`
        : `Start ${databaseUrl === null ? '' : 'every node '}with HANDSET_SECRET set to it.`;
    out.line(`${next} Backups from before need the former one.`);
  },
};
