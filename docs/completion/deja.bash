# bash completion for deja; made by 'deja help --completion bash'
_deja() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local verb=${COMP_WORDS[1]} options=
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W 'run record cc c++ fc analyze join spatial stats mrc report annotate gen convert info help --help --version' -- "$word") $(compgen -f -- "$word"))
        return
    fi
    case $verb,$before in
    run,--tool) COMPREPLY=($(compgen -W 'auto native valgrind annotations' -- "$word")); return ;;
    run,--export) COMPREPLY=($(compgen -W 'text csv markdown svg callgrind folded' -- "$word")); return ;;
    run,--only) COMPREPLY=($(compgen -W 'reads writes' -- "$word")); return ;;
    run,--each) COMPREPLY=($(compgen -W 'none thread device file' -- "$word")); return ;;
    run,--fast-simd) COMPREPLY=($(compgen -W 'auto avx512 avx2 portable' -- "$word")); return ;;
    run,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    run,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    record,--tool) COMPREPLY=($(compgen -W 'auto native valgrind annotations' -- "$word")); return ;;
    analyze,--fast-simd) COMPREPLY=($(compgen -W 'auto avx512 avx2 portable' -- "$word")); return ;;
    analyze,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    analyze,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    analyze,--only) COMPREPLY=($(compgen -W 'reads writes' -- "$word")); return ;;
    analyze,--each) COMPREPLY=($(compgen -W 'none thread device file' -- "$word")); return ;;
    analyze,--export) COMPREPLY=($(compgen -W 'text csv markdown svg callgrind folded' -- "$word")); return ;;
    join,--export) COMPREPLY=($(compgen -W 'text csv markdown svg callgrind folded' -- "$word")); return ;;
    spatial,--export) COMPREPLY=($(compgen -W 'text csv markdown svg' -- "$word")); return ;;
    spatial,--tool) COMPREPLY=($(compgen -W 'auto native valgrind annotations' -- "$word")); return ;;
    spatial,--only) COMPREPLY=($(compgen -W 'reads writes' -- "$word")); return ;;
    spatial,--fast-simd) COMPREPLY=($(compgen -W 'auto avx512 avx2 portable' -- "$word")); return ;;
    spatial,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    spatial,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    stats,--fast-simd) COMPREPLY=($(compgen -W 'auto avx512 avx2 portable' -- "$word")); return ;;
    stats,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    stats,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    stats,--export) COMPREPLY=($(compgen -W 'text csv markdown svg' -- "$word")); return ;;
    stats,--only) COMPREPLY=($(compgen -W 'reads writes' -- "$word")); return ;;
    stats,--each) COMPREPLY=($(compgen -W 'none thread device file' -- "$word")); return ;;
    mrc,--simulate) COMPREPLY=($(compgen -W 'none lru fifo lfu' -- "$word")); return ;;
    mrc,--fast-simd) COMPREPLY=($(compgen -W 'auto avx512 avx2 portable' -- "$word")); return ;;
    mrc,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    mrc,--adjust) COMPREPLY=($(compgen -W 'never paper always' -- "$word")); return ;;
    mrc,--export) COMPREPLY=($(compgen -W 'text csv markdown svg' -- "$word")); return ;;
    mrc,--only) COMPREPLY=($(compgen -W 'reads writes' -- "$word")); return ;;
    mrc,--each) COMPREPLY=($(compgen -W 'none thread device file' -- "$word")); return ;;
    report,--export) COMPREPLY=($(compgen -W 'text csv markdown svg callgrind folded' -- "$word")); return ;;
    annotate,--export) COMPREPLY=($(compgen -W 'text csv markdown svg' -- "$word")); return ;;
    info,--export) COMPREPLY=($(compgen -W 'text csv markdown svg' -- "$word")); return ;;
    help,--form) COMPREPLY=($(compgen -W 'text man schema' -- "$word")); return ;;
    help,--completion) COMPREPLY=($(compgen -W 'none bash zsh fish' -- "$word")); return ;;
    esac
    case $verb in
    run) options=' --tool --no-follow --paused --by --start-at --within --skip --stop-after --fresh-heap --statements --caches --export --top --weight --only --warm-up --each --block --split --no-split --engine --fast-simd --fast-points --threads --chunk --shadow-page --count-block --threads --st --fragment --adjust --st --fragment --adjust --chunk --gpu-memory --json --output --ascii --no-color --width --help' ;;
    record) options=' --output --tool --no-follow --paused --statements --help' ;;
    cc) options=' --with --loops --as-written --plain --help'; ((COMP_CWORD == 2)) || options= ;;
    c++) options=' --with --loops --as-written --plain --help'; ((COMP_CWORD == 2)) || options= ;;
    fc) options=' --with --loops --as-written --plain --help'; ((COMP_CWORD == 2)) || options= ;;
    analyze) options=' --bins --time --fingerprint --windows --caches --format --columns --header --instructions --block --split --no-split --engine --fast-simd --fast-points --threads --chunk --shadow-page --count-block --threads --st --fragment --adjust --st --fragment --adjust --chunk --gpu-memory --only --from --until --warm-up --each --by --start-at --within --skip --stop-after --fresh-heap --statements --export --top --weight --summary --part --json --output --ascii --no-color --width --help' ;;
    join) options=' --summary --by --bins --caches --export --top --weight --json --output --ascii --no-color --width --help' ;;
    spatial) options=' --blocks --split --no-split --pair --cache --context --size --near --good --residency --caches --export --top --summary --part --tool --no-follow --paused --by --start-at --within --skip --stop-after --fresh-heap --statements --format --columns --header --instructions --only --from --until --warm-up --process --engine --fast-simd --fast-points --threads --chunk --shadow-page --count-block --threads --st --fragment --adjust --st --fragment --adjust --chunk --gpu-memory --json --output --ascii --no-color --width --help' ;;
    stats) options=' --near --per-address --format --columns --header --instructions --block --split --no-split --engine --fast-simd --fast-points --threads --chunk --shadow-page --count-block --threads --st --fragment --adjust --st --fragment --adjust --chunk --gpu-memory --export --only --from --until --warm-up --each --json --output --ascii --no-color --width --help' ;;
    mrc) options=' --sizes --ways --simulate --hash-sets --threshold --caches --format --columns --header --instructions --block --split --no-split --engine --fast-simd --fast-points --threads --chunk --shadow-page --count-block --threads --st --fragment --adjust --st --fragment --adjust --chunk --gpu-memory --export --only --from --until --warm-up --each --json --output --ascii --no-color --width --help' ;;
    report) options=' --process --by --caches --export --top --weight --json --output --ascii --no-color --width --help' ;;
    annotate) options=' --process --only-hot --source --export --json --output --ascii --no-color --width --help' ;;
    gen) options=' --keys --accesses --seed --first-key --element-bytes --scatter --exponent --hot --hot-share --step --sweeps --no-swap --reshuffle --distances --phases --output --as --level --lossy --partial --json --help' ;;
    convert) options=' --format --columns --header --instructions --output --as --level --lossy --partial --json --help' ;;
    info) options=' --export --json --output --ascii --no-color --width --help' ;;
    help) options='run record cc c++ fc analyze join spatial stats mrc report annotate gen convert info help --form --completion --output --help' ;;
    esac
    if [[ $word == -* || $verb == help ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _deja deja
