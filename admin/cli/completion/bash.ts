import type { CompletionPlace } from './plan.ts'
import { toFunctions } from './posix.ts'

/**
 * For bash 3.2 and later. Bash parts words at `:` and `=` too (`COMP_WORDBREAKS`), and gives them with their quotes; it
 * puts an answer in the place of the last part only, and sets quotes itself for what it takes for file names.
 */
export const toBash = (places: ReadonlyMap<string, CompletionPlace>): string => `# Completion of sluice for bash.
${toFunctions(places)}
${quoting}_sluice() {
  local next='' flags='' first='' more='' wants='' plain='' address=()
  local REPLY line="\${COMP_LINE:0:COMP_POINT}" given=() word rest raw i quote=''
  # What stands without a space between is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}" rest="\${line#"\${line%%[![:space:]]*}"}"
    ((i < COMP_CWORD)) || word="$rest"
    if ((i > 0)) && [[ $rest == "$line" ]]; then raw+="$word"; else
      ((i < 2)) || given+=("$raw")
      raw="$word"
    fi
    line="\${rest#"$word"}"
  done
  for ((i = 0; i < \${#given[@]}; i++)); do
    _sluice_plain "\${given[i]}"
    given[i]="$REPLY"
  done
  _sluice_parse \${given[@]+"\${given[@]}"}
  _sluice_plain "$2"
  local last="$REPLY"
  _sluice_plain "$raw"
  local typed="$REPLY" found=() kind
  # The part that stays as it stands.
  local kept="\${typed%"$last"}"
  if [[ -z $plain && $typed == -* ]]; then next="$flags" wants=''; fi
  for word in $next; do [[ $word != "$typed"* ]] || found+=("$word"); done
  for kind in $wants; do
    [[ $kind != files ]] || continue
    while IFS= read -r word; do
      [[ $word != "$typed"* ]] || found+=("$word")
    done < <(sluice completion names "$kind" \${address[@]+"\${address[@]}"} -- "$typed" 2>/dev/null)
  done
  COMPREPLY=()
  case " $wants " in
    ' files ') return ;;
    *' files '*) while IFS= read -r word; do found+=("$word"); done < <(compgen -f -- "$typed") ;;
  esac
  compopt +o default 2>/dev/null
  case " $wants " in *' paths '*|*' directories '*)
    compopt -o filenames -o noquote 2>/dev/null
    if [[ \${#found[@]} == 1 && $found == */ ]]; then
      compopt -o nospace 2>/dev/null
      # What is alone would close the quote.
      [[ -z $quote ]] || found+=("$found*")
    fi ;;
  esac
  for word in \${found[@]+"\${found[@]}"}; do
    _sluice_quoted "\${word#"$kept"}"
    COMPREPLY+=("$REPLY")
  done
}
complete -o default -F _sluice sluice
`

/** Own ones: what bash quotes for file names leaves `$` and a backquote as they are. */
const quoting = String.raw`_sluice_plain() { # REPLY: a word without its quotes; quote: that which is open
  local rest="$1" char
  REPLY='' quote=''
  while [[ -n $rest ]]; do
    _sluice_cut
    case "$quote$char" in
      \'|\") quote="$char" ;;
      \'\'|\"\") quote='' ;;
      \\) _sluice_cut; REPLY+="$char" ;;
      \"\\)
        case "$rest" in [\"\\\$\`]*) _sluice_cut ;; esac
        REPLY+="$char" ;;
      *) REPLY+="$char" ;;
    esac
  done
}
_sluice_quoted() { # REPLY: text for a word in which quote is open
  local rest="$1" char
  REPLY=''
  if [[ -z $quote ]]; then printf -v REPLY %q "$rest"; return; fi
  while [[ -n $rest ]]; do
    _sluice_cut
    case "$quote$char" in
      \'\') REPLY+="'\''" ;;
      \"[\"\\\$\`]) REPLY+="\\$char" ;;
      *) REPLY+="$char" ;;
    esac
  done
}
_sluice_cut() { # char: the first character of rest
  char="${'$'}{rest:0:1}" rest="${'$'}{rest:1}"
}
`
