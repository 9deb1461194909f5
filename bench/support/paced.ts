/** Starts `perSecond` sends a second whether or not earlier ones are done. Returns the duration of each, ms. */
export const paced = async (send: () => Promise<unknown>, perSecond: number, count: number): Promise<number[]> => {
  const began = performance.now();
  const times: number[] = [];
  const running: Promise<void>[] = [];
  for (let sent = 0; sent < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * perSecond) + 1);
    for (; sent < due; sent += 1) {
      const from = performance.now();
      running.push(send().then(() => void times.push(performance.now() - from)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return times;
};
