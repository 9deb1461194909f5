/** Where the client version of this process is read, and through which connection. */
import { type Config, version } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import type { RevisionStore } from '../domain/client-version.ts';
import type { Logger } from '../log.ts';
import { makeOutbound } from '../outbound.ts';
import { ClientVersions } from '../whatsapp/login/client-version/client-versions.ts';
import { readRevision, realVersionUrl } from '../whatsapp/login/client-version/pages.ts';
import type { SandboxAddress } from '../whatsapp/connection/sandbox-address.ts';

export interface ClientVersionParts {
  readonly config: Pick<Config, 'clientRevision'>;
  readonly sandbox: SandboxAddress | null;
  readonly stores: { readonly clientRevisions: RevisionStore };
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenClientVersions {
  readonly versions: ClientVersions;
  close(): Promise<void>;
}

/** A sandbox without a version page: the real network must not be asked instead. */
const urlOf = (sandbox: SandboxAddress | null): string | null =>
  sandbox === null ? realVersionUrl : (sandbox.versionUrl ?? null);

export const openClientVersions = ({ config, sandbox, stores, clock, log }: ClientVersionParts): OpenClientVersions => {
  const url = urlOf(sandbox);
  // The sandbox is usually at a private address.
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
      // Cancels a running read, which would delay the stop.
      await outbound.close();
      await stopped;
    },
  };
};
