import type { NameKind } from './known-names.ts'

/** Shells that a script can be made for. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A command as a shell needs it. */
export type CompletionCommand = {
  readonly words: readonly string[]
  readonly flags: readonly string[]
  readonly summary: string
}

/** The script: whatever words stand already decide what may come next; behind the last command, flags and files. */
export const toCompletion = (shell: Shell, commands: readonly CompletionCommand[]): string => {
  const next = toNextWords(commands)
  return shell === 'fish' ? toFish(commands, next) : shell === 'zsh' ? toZsh(next) : toBash(next)
}

/** Behind these the server is asked for names, and for a second at most. */
const asked: Readonly<Record<string, NameKind>> = {
  'beans call': 'beans',
  'beans get': 'beans',
  'beans set': 'beans',
  send: 'types',
  tail: 'types',
}
const toCommand = (kind: NameKind): string => `sluice completion names ${kind} 2>/dev/null`

/** What may follow each beginning: `""` → `beans config …`, `beans` → `call get …`, `beans get` → flags. */
const toNextWords = (commands: readonly CompletionCommand[]): ReadonlyMap<string, readonly string[]> => {
  const next = new Map<string, Set<string>>()
  const add = (path: string, word: string): void => void next.set(path, (next.get(path) ?? new Set()).add(word))
  for (const { words, flags } of commands) {
    for (const [i, word] of words.entries()) add(words.slice(0, i).join(' '), word)
    for (const flag of [...flags, '--help']) add(words.join(' '), flag)
  }
  return new Map([...next].map(([path, words]) => [path, [...words].sort()]))
}

/** What bash and zsh have in common: arguments stand behind a command, so its longest known beginning counts. */
const toFunctions = (next: ReadonlyMap<string, readonly string[]>, path: string, given: string): string => {
  const cases = [...next].map(([beginning, words]) => `    '${beginning}') next='${words.join(' ')}' ;;`)
  return `_sluice_next() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_sluice() {
  local ${path}='' word next=''
  for word in "\${${given}}"; do
    [[ $word == -* ]] || ${path}="\${${path}:+$${path} }$word"
  done
  until _sluice_next "$${path}" || [[ -z $${path} ]]; do
    if [[ $${path} == *' '* ]]; then ${path}="\${${path}% *}"; else ${path}=''; fi
  done
  case "$${path}" in
${Object.entries(asked)
  .map(([words, kind]) => `    '${words}') next="$next $(${toCommand(kind)} | tr '\\n' ' ')" ;;`)
  .join('\n')}
  esac`
}

const toBash = (next: ReadonlyMap<string, readonly string[]>): string => `# Completion of sluice for bash.
${toFunctions(next, 'path', 'COMP_WORDS[@]:1:COMP_CWORD-1')}
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sluice sluice
`

const toZsh = (next: ReadonlyMap<string, readonly string[]>): string => `#compdef sluice
# Completion of sluice for zsh.
${toFunctions(next, 'at', '(@)words[2,CURRENT-1]')}
  compadd -- \${=next}
  [[ $next == *--help* ]] && _files
}
compdef _sluice sluice
`

const toFish = (commands: readonly CompletionCommand[], next: ReadonlyMap<string, readonly string[]>): string => {
  const summaries = new Map(commands.map(({ words, summary }) => [words.join(' '), summary.replaceAll("'", '’')]))
  const lines = [...next].flatMap(([path, words]) =>
    words.map(word => {
      const summary = summaries.get(path === '' ? word : `${path} ${word}`)
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c sluice -n '__sluice_at "${path}"' ${what}${summary ? ` -d '${summary}'` : ''}`
    }),
  )
  const names = Object.entries(asked).map(
    ([words, kind]) => `complete -c sluice -n '__sluice_at "${words}"' -a '(${toCommand(kind)})'`,
  )
  return `# Completion of sluice for fish.
function __sluice_at
  set -l words (commandline -opc | string match -v -- '-*')
  set -l path (string join ' ' $words[2..-1])
  test "$path" = "$argv[1]"; or string match -q -- "$argv[1] *" "$path"; and test -n "$argv[1]"
end
${[...lines, ...names].join('\n')}
`
}
