/** The figures of a service that is compared: their names in `bench/results.json`, and how the table tells them. */

/** With one device, and with `devices` of them. */
export const rowsOf = (devices: number | string): Readonly<Record<string, string>> => ({
  Mb1: 'MB, 1 device',
  Mb: `MB, ${devices} devices`,
  TextsPerSecond1: 'texts/s, 1',
  TextsPerSecond: `texts/s, ${devices}`,
  TextCpuMs: 'CPU ms a text',
  ReceivedPerSecond1: 'received/s, 1',
  ReceivedPerSecond: `received/s, ${devices}`,
  ReceivedCpuMs: 'CPU ms a received',
  SecondsAfterStop: 's after a stop',
  SecondsAfterKill: 's after a kill',
  Load: 'load before',
});

/** `fazer-ai/baileys-api` is `FazerAiBaileysApi`. */
const inOneWord = (name: string): string =>
  name.replaceAll(/[^a-z\d]*([a-z\d]+)[^a-z\d]*/gi, (_, word: string) => word[0]!.toUpperCase() + word.slice(1));

/** `peerHandsetMb1` */
export const peerFigure = (service: string, row: string): string => `peer${inOneWord(service)}${row}`;
