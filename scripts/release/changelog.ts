/** The CHANGELOG.md of a release: the entries under `Unreleased` move under the version, below a new, empty one. */

const heading = '## Unreleased\n'

/** Headings of empty parts are dropped. @throws Error nothing is there to release */
export const releaseChangelog = (text: string, version: string, day: string): string => {
  const start = text.indexOf(heading)
  if (start < 0) throw new Error('CHANGELOG.md has no heading "## Unreleased"')
  const from = start + heading.length
  const next = text.indexOf('\n## ', from)
  const end = next < 0 ? text.length : next
  const told = text.slice(from, end).replace(/\n### [^\n]*\n(?=\s*(?:\n###|$))/g, '\n')
  if (!/^- /m.test(told)) throw new Error('CHANGELOG.md tells nothing under "## Unreleased"')
  const section = told.trim().replace(/\n{3,}/g, '\n\n')
  return `${text.slice(0, from)}\n## ${version} - ${day}\n\n${section}\n${text.slice(end)}`
}
