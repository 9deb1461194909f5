/** Whether things move: panels, switches and GIFs. The setting of the system counts as well. */
import { useState } from 'react';
import { texts } from '../base/texts.ts';

const key = 'handset.motion';

const isOff = (): boolean => localStorage.getItem(key) === 'off';

/** To be called before the first paint. */
export const applyStoredMotion = (): void => {
  if (isOff()) document.documentElement.dataset.motion = 'off';
  else delete document.documentElement.dataset.motion;
};

export const isStill = (): boolean => isOff() || matchMedia('(prefers-reduced-motion: reduce)').matches;

export const MotionSwitch = () => {
  const [off, setOff] = useState(isOff);
  return (
    <label className="card check">
      <input
        type="checkbox"
        role="switch"
        checked={!off}
        onChange={({ target }) => {
          if (target.checked) localStorage.removeItem(key);
          else localStorage.setItem(key, 'off');
          applyStoredMotion();
          setOff(!target.checked);
        }}
      />
      {texts.motion}
    </label>
  );
};
