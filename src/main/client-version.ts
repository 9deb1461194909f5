/** The client version of this process: where it is read, and with which way out. */
import { type Config, version } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import type { RevisionStore } from '../domain/client-version.ts';
import type { Logger } from '../log.ts';
import { makeOutbound } from '../outbound.ts';
import { ClientVersions } from '../whatsapp/login/client-version/client-versions.ts';
import { readRevision, realVersionUrl } from '../whatsapp/login/client-version/pages.ts';
import type { SandboxAddress } from '../whatsapp/login/sandbox-address.ts';

export interface ClientVersionParts {
  readonly config: Pick<Config, 'clientRevision'>;
  /** Null: the real network. */
  readonly sandbox: SandboxAddress | null;
  readonly stores: { readonly clientRevisions: RevisionStore };
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenClientVersions {
  readonly versions: ClientVersions;
  close(): Promise<void>;
}

/** A sandbox that tells none has no page; the real network's must not be asked in its place. */
const urlOf = (sandbox: SandboxAddress | null): string | null =>
  sandbox === null ? realVersionUrl : (sandbox.versionUrl ?? null);

export const openClientVersions = ({ config, sandbox, stores, clock, log }: ClientVersionParts): OpenClientVersions => {
  const url = urlOf(sandbox);
  // The operator named the sandbox, which is mostly on a private address.
  const outbound = makeOutbound({ allowPrivateUrls: sandbox !== null, userAgent: `Handset/${version}`, clock });
  const versions = new ClientVersions({
    pinned: config.clientRevision,
    fetch: url === null ? null : () => readRevision(outbound.read, url),
    network: sandbox === null ? 'whatsapp' : 'sandbox',
    store: stores.clientRevisions,
    clock,
    log,
  });
  return {
    versions,
    async close() {
      const stopped = versions.stop();
      // Ends a page read in progress, which the stop would wait for.
      await outbound.close();
      await stopped;
    },
  };
};
