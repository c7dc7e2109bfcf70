/** Text that would steer a terminal or disguise itself, each way for itself: C0, CSI, OSC, BEL, C1, line separators, bidi. */
export const hostileParts: readonly string[] = [
  '\u001b[2J',
  '\u001b[8m',
  '\u001b]0;owned\u0007',
  '\u001b]8;;http://evil.test/\u001b\\link',
  '\u001bP+q\u001b\\',
  '\u0007',
  '\b\b\b',
  '\u007f',
  '\u0085',
  '\u009b31m',
  '\u009d0;owned\u009c',
  '\u2028',
  '\u061c',
  '\u200f',
  '\u202e',
  '\u2066',
]

/** All of it. */
export const hostileText: string = hostileParts.join('')

/** Finds what steers a terminal. */
export const steering: RegExp = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
