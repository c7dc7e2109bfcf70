/** The common part of the scripts for bash and zsh. */
import { addressFlags, type CompletionPlace } from './plan.ts'

const value = (words: Iterable<string>): string => `'${[...words].join(' ')}'`

/**
 * Two functions, whose answers are variables of the caller:
 *
 *     _sluice_at PLACE        next, flags, first, more: what the plan says; status 1 for an unknown place
 *     _sluice_parse WORD…     the same for the place after these words, whose quotes are gone; wants: where the next
 *                             word comes from; plain: whether `--` was among them; address: flags that say whom to ask
 */
export const toFunctions = (places: ReadonlyMap<string, CompletionPlace>): string => `_sluice_at() {
  case "$1" in
${[...places]
  .map(([path, { next, flags, first, more }]) => {
    const given = { next: next.keys(), flags, first, more }
    return `    '${path}') ${Object.entries(given)
      .map(([name, words]) => `${name}=${value(words)}`)
      .join(' ')} ;;`
  })
  .join('\n')}
    *) return 1 ;;
  esac
}
_sluice_parse() {
  local word at='' flag='' count=0
  for word in "$@"; do
    if [[ -n $flag ]]; then
      case "$flag" in ${addressFlags.join('|')}) address+=("$flag" "$word") ;; esac
      flag=''
    elif [[ -z $plain && $word == -?* ]]; then
      case "$word" in
        --) plain=1 ;;
        ${addressFlags.map(flag => `${flag}=*`).join('|')}) address+=("$word") ;;
        *) ! _sluice_at "$at $word" || flag="$word" ;;
      esac
    elif [[ $count == 0 ]] && _sluice_at "\${at:+$at }$word"; then
      at="\${at:+$at }$word"
    else
      count=$((count + 1))
    fi
  done
  _sluice_at "$at\${flag:+ $flag}"
  wants="$first"
  [[ $count == 0 ]] || wants="$more" next=''
}`
