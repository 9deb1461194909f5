/** Fails if the bundled client revision is too old for a release. Only the release workflow runs it, as the revision ages every day. */
import { versionText } from '../src/domain/client-version.ts';
import { bundledRevision } from '../src/whatsapp/login/client-version/bundled.ts';

/** The network refuses a revision after 80 days or more, and stops linking it earlier (`domain/client-version.ts`). */
const maxDays = 45;

/** The error message for a bundled revision that is too old, or null. */
export const staleBundle = (
  { revision, since }: Pick<typeof bundledRevision, 'revision' | 'since'>,
  now: number,
): string | null => {
  const days = since === null ? Infinity : Math.floor((now - since) / 86_400_000);
  if (days <= maxDays) return null;
  return (
    `The bundled client revision ${versionText(revision)} is ${days} days old, and a release may have one of ${maxDays} days at most: raise it in ` +
    'src/whatsapp/login/client-version/bundled.ts, with its date and evidence'
  );
};

if (import.meta.main) {
  const problem = staleBundle(bundledRevision, Date.now());
  if (problem !== null) {
    console.error(problem);
    process.exitCode = 1;
  }
}
