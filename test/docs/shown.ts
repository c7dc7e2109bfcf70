/** Output as it is compared: no blanks at the ends of lines, no empty lines around it. */
export const toShown = (text: string): string => text.replaceAll(/[ \t\r]+$/gm, '').replace(/^\n+|\n+$/g, '')

/** A pattern for the output that the page shows; `…` matches anything. */
export const toPattern = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split('…')
      .map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^]*')}$`,
  )

/** What is another one each time: times, the directories of hours, ids. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/\d{8}T\d{6}(?:\.\d{3})?Z-[0-9a-f]{32}-\d+-\d+/g, '(file)'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '(time)'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\+00)?/g, '(time)'],
  [/\b\d\d:\d\d:\d\d\b/g, '(clock)'],
  [/\b\d{4}\/\d\d\/\d\d\/\d\d\b/g, '(hour)'],
  [/dt=\d{4}-\d\d-\d\d\/hour=\d\d/g, '(hour)'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '(id)'],
  [/\b[0-9a-f]{16,}\b/g, '(id)'],
  [/\b\d{13}\b/g, '(ms)'],
]

/** The same text for the same output of another day. */
export const withoutTimes = (text: string): string =>
  changing.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text)
