/** The HTTPS certificate: read at start and again when its files change, so that renewal needs no restart. */
import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock, Timer } from '../domain/clock.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Polled, as a renewal may replace a link, a folder or a mount. */
const lookMs = 5_000;

const readPem = async (variable: string, path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${variable} cannot be read: ${messageOf(error)}`, { cause: error });
  }
};

/** Throws a readable Error if files are missing, not PEM, or do not match. */
export const readCertificate = async ({ certFile, keyFile }: TlsFiles): Promise<Certificate> => {
  const cert = await readPem('HANDSET_TLS_CERT', certFile);
  const key = await readPem('HANDSET_TLS_KEY', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`HANDSET_TLS_CERT and HANDSET_TLS_KEY are no certificate with its key (${reason})`, {
      cause: error,
    });
  }
  return { cert, key };
};

const stampOf = async ({ certFile, keyFile }: TlsFiles): Promise<string> => {
  const stamps = await Promise.all(
    [certFile, keyFile].map(async (path) => {
      const { mtimeMs, ino, size } = await stat(path);
      return `${mtimeMs}/${ino}/${size}`;
    }),
  );
  return stamps.join(' ');
};

interface Parts {
  readonly files: TlsFiles;
  readonly renew: (certificate: Certificate) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface CertificateWatch {
  look(): Promise<void>;
  stop(): void;
}

export const watchCertificate = ({ files, renew, clock, log }: Parts): CertificateWatch => {
  let seen: string | null = null;
  let timer: Timer | null = null;
  let stopped = false;
  const look = async (): Promise<void> => {
    try {
      const stamp = await stampOf(files);
      if (stamp === seen) return;
      const first = seen === null;
      seen = stamp;
      if (first) return;
      const certificate = await readCertificate(files);
      renew(certificate);
      log.info({ validTo: new X509Certificate(certificate.cert).validTo }, 'the certificate was renewed');
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the renewed certificate cannot be used; the present one stays in use');
    }
  };
  const plan = (): void => {
    if (stopped) return;
    timer = clock.after(lookMs, () => void look().finally(plan));
  };
  void look().finally(plan);
  return {
    look,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
};
