/** `handset rotate-secret`: seals everything at rest with a new secret; the service (or every node of it) must be stopped. */
import type { Command } from '../command/command.ts';

export const rotateSecretCommand: Command = {
  words: 'rotate-secret',
  summary: 'Re-encrypt all stored data with a new secret; stop the service first',
  positionals: [],
  anonymous: true,
  async run({ config, out }) {
    const { rotateSecret, rotateSharedSecret } = await import('../../main/offline.ts');
    const { dataDir, newSecret, databaseUrl = null } = config.offline;
    using _ = out.progress('Re-encrypting');
    const { resealed, verified } = await (databaseUrl === null
      ? rotateSecret(config.offline)
      : rotateSharedSecret({ ...config.offline, databaseUrl }));
    out.value({ resealed, verified });
    out.line(`Re-encrypted ${resealed} values and verified all ${verified} with the new secret.`);
    const next =
      newSecret === null
        ? `The new secret is in ${dataDir}/secret: keep a copy elsewhere.`
        : `Start ${databaseUrl === null ? '' : 'every node '}with HANDSET_SECRET set to it.`;
    out.line(`${next} Older backups need the previous secret.`);
  },
};
