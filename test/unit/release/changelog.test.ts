import { describe, expect, test } from 'vitest'
import { releaseChangelog } from '../../../scripts/release/changelog.ts'

const toText = (unreleased: string): string => `# Changelog

What users notice.

## Unreleased
${unreleased}
## 0.1.0

### Added
- Everything.
`

describe('releaseChangelog', () => {
  test('puts what is unreleased under the version, without parts that have nothing to tell', () => {
    const text = toText(`
### Added: nothing

### Added: packages
- One,
  on two lines.

- Two.

### Fixed

### Changed: words
- Three.

### Removed
`)
    expect(releaseChangelog(text, '0.2.0', '2027-01-02')).toBe(`# Changelog

What users notice.

## Unreleased

## 0.2.0 - 2027-01-02

### Added: packages
- One,
  on two lines.

- Two.

### Changed: words
- Three.

## 0.1.0

### Added
- Everything.
`)
  })

  test('releases a first version, below which there is none', () => {
    expect(releaseChangelog('## Unreleased\n- One.\n', '1.0.0', '2027-01-02')).toBe(
      '## Unreleased\n\n## 1.0.0 - 2027-01-02\n\n- One.\n',
    )
  })

  test.each([
    { text: toText('\n### Added\n'), want: 'tells nothing' },
    { text: toText(''), want: 'tells nothing' },
    { text: '# Changelog\n\n## 0.1.0\n- One.\n', want: 'no heading' },
  ])('$want: an error', ({ text, want }) => {
    expect(() => releaseChangelog(text, '1.0.0', '2027-01-02')).toThrow(want)
  })
})
