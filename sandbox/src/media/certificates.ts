/** A certificate authority for the media host, and the host's certificate. */
import { generate } from 'selfsigned';

export interface Certificates {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

const validDays = 825;

const makeCertificates = async (address: string): Promise<Certificates> => {
  const notBeforeDate = new Date(Date.now() - 3_600_000);
  const notAfterDate = new Date(Date.now() + validDays * 86_400_000);
  const shared = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256', notBeforeDate, notAfterDate } as const;
  const authority = await generate([{ name: 'commonName', value: 'Sandbox media authority' }], {
    ...shared,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const addresses = [...new Set(['127.0.0.1', '::1', ...(/^[\d.]+$|:/.test(address) ? [address] : [])])];
  const names = [...new Set(['localhost', ...(addresses.includes(address) ? [] : [address])])];
  const leaf = await generate([{ name: 'commonName', value: 'Sandbox media host' }], {
    ...shared,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { ca: authority.cert, key: leaf.private, cert: leaf.cert };
};

const made = new Map<string, Certificates>();

/** `address`: where the host listens in addition to loopback. Made once per process and address: it is the longest step of a start. */
export const certificatesFor = async (address: string): Promise<Certificates> => {
  const certificates = made.get(address) ?? (await makeCertificates(address));
  made.set(address, certificates);
  return certificates;
};
