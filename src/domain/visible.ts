/** Whether a text shows anything. */

/** Blanks, controls, what Unicode has apps show nothing for (marks of direction, zero-width characters, fillers), annotations, and the empty cell of braille. */
const shown = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]/u;

/** For texts whose length is bounded. */
export const isVisible = (text: string): boolean => shown.test(text);
