import { describe, expect, test } from 'vitest'
import { parseBlocks, toCommands } from './blocks.ts'

const fenced = (info: string, code = 'true'): string => `# Page\n\n\`\`\`${info}\n${code}\n\`\`\`\n`

describe('parseBlocks', () => {
  test('finds blocks with their words and lines, in lists too', () => {
    const text =
      '- one\n\n  ```python file=a/send.py\n  if x:\n    y()\n  ```\n\n```sh not-run=needs-root\nreboot\n```\n'
    expect(parseBlocks('p.md', text)).toEqual([
      {
        page: 'p.md',
        line: 3,
        language: 'python',
        words: new Map([['file', 'a/send.py']]),
        code: 'if x:\n  y()\n',
      },
      { page: 'p.md', line: 8, language: 'sh', words: new Map([['not-run', 'needs-root']]), code: 'reboot\n' },
    ])
  })

  test.each([
    ['', 'p.md:3: the fence has no language'],
    ['bash', 'p.md:3: "bash" is no language'],
    ['sh nurun=why', 'p.md:3: "nurun" means nothing behind sh; known are server, restart, file, not-run'],
    ['python server', 'p.md:3: "server" means nothing behind python'],
    ['sh not-run', 'p.md:3: not-run= needs a reason'],
    ['python', 'p.md:3: python does not run by itself'],
    ['python file=../up.py', 'p.md:3: file= needs a path within'],
    ['console', 'p.md:3: a console begins with "$ "'],
  ])('refuses "%s", with the place', (info, message) => {
    expect(() => parseBlocks('p.md', fenced(info))).toThrow(message)
  })

  test.each([
    ['Run:\n\n    npm start\n', 'p.md:3: an indented block'],
    ['1. Do\n\n       npm start\n', 'p.md:3: an indented block'],
    ['a\n\n```sh\ntrue\n', 'p.md:3: a fence that does not end'],
  ])('refuses %j', (text, message) => {
    expect(() => parseBlocks('p.md', text)).toThrow(message)
  })

  test('takes the continuation of a list item for text', () => {
    expect(parseBlocks('p.md', '- one\n\n  more of it\n\n  - within\n\n    and more\n')).toEqual([])
  })
})

test('toCommands tells commands from what they print', () => {
  expect(toCommands('$ a \\\n  b\nout 1\nout 2\n$ c\n')).toEqual([
    { command: 'a \\\n  b\n', shown: 'out 1\nout 2\n' },
    { command: 'c\n', shown: '' },
  ])
})
