import { addressFlags, type CompletionPlace } from './plan.ts'

/** Fish sets quotes itself, and shows the description of a word, after a tab. */
export const toFish = (places: ReadonlyMap<string, CompletionPlace>): string => `# Completion of sluice for fish.
function __sluice_at
  set -g __sluice_next
  set -g __sluice_flags
  set -g __sluice_first
  set -g __sluice_more
  switch "$argv[1]"
${[...places].map(toCase).join('\n')}
    case '*'
      return 1
  end
  # \`set\` leaves the status of what went before.
  return 0
end
function __sluice_parse
  set -l words (commandline -opc)
  set -l at
  set -l flag
  set -l count 0
  set -g __sluice_plain
  set -g __sluice_address
  for word in $words[2..-1]
    if test -n "$flag"
      contains -- $flag ${addressFlags.join(' ')}; and set -a __sluice_address $flag $word
      set flag
    else if test -z "$__sluice_plain"; and string match -q -- '-?*' $word
      switch "$word"
        case --
          set __sluice_plain 1
        case ${addressFlags.map(flag => `'${flag}=*'`).join(' ')}
          set -a __sluice_address $word
        case '*'
          __sluice_at "$at $word"; and set flag $word
      end
    else if test $count = 0; and __sluice_at (string join ' ' -- $at $word)
      set at (string join ' ' -- $at $word)
    else
      set count (math $count + 1)
    end
  end
  __sluice_at (string join ' ' -- $at $flag)
  set -g __sluice_wants $__sluice_first
  if test $count != 0
    set __sluice_wants $__sluice_more
    set __sluice_next
  end
  set -g __sluice_typed (__sluice_text (commandline -ct))
  if test -z "$__sluice_plain"; and string match -q -- '-*' $__sluice_typed
    set __sluice_next $__sluice_flags
    set __sluice_wants
  end
  contains files $__sluice_wants
end
# A word without its quotes, which may be open.
function __sluice_text
  string unescape -- "$argv[1]"; or string unescape -- "$argv[1]'"; or string unescape -- "$argv[1]\\""; or echo -- "$argv[1]"
end
function __sluice_words
  __sluice_parse
  printf '%s\\n' $__sluice_next
  for kind in $__sluice_wants
    test $kind = files; or sluice completion names $kind $__sluice_address -- "$__sluice_typed" 2>/dev/null
  end
end
complete -c sluice -e
complete -c sluice -n 'not __sluice_parse' -f
complete -c sluice -a '(__sluice_words)'
`

const toCase = ([path, { next, flags, first, more }]: readonly [string, CompletionPlace]): string => {
  const lists = {
    next: [...next].map(([word, summary]) => (summary === '' ? word : `${word}\t${summary}`)),
    flags,
    first,
    more,
  }
  return [
    `    case ${quote(path)}`,
    ...Object.entries(lists)
      .filter(([, words]) => words.length > 0)
      .map(([name, words]) => `      set __sluice_${name} ${words.map(quote).join(' ')}`),
  ].join('\n')
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
