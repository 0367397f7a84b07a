use super::Ruling;

/// Whether a shell command only looks at a state, so that its old output is worth nothing any more.
///
/// The rule does not know quotes: a separator inside of them separates too. [`Ruling`] tells why.
///
/// Source: spec/layers.md, expire.
pub fn is_ephemeral(command: &str) -> bool {
    Ruling::on(command).is_ephemeral()
}

/// The commands that only look, as words with one blank between them; in a command any blanks may stand there, and any
/// case.
pub(super) const LOOKING: &[&str] = &[
    // Version control.
    "git status",
    "git diff",
    "git log",
    "git show",
    "git branch",
    "git stash list",
    "git worktree list",
    "git remote",
    "git rev-parse",
    "git describe",
    "git ls-files",
    "git blame",
    "git shortlog",
    "git reflog",
    "git cherry",
    "git for-each-ref",
    "git symbolic-ref",
    "git whatchanged",
    "git hash-object",
    "git cat-file",
    "git count-objects",
    "git check-ignore",
    "git var",
    "git config --get",
    // Where and when.
    "ls",
    "ll",
    "dir",
    "pwd",
    "df",
    "du",
    "free",
    "uptime",
    "date",
    "whoami",
    "hostname",
    "id",
    "env",
    "printenv",
    // What runs.
    "ps",
    "top",
    "htop",
    "jobs",
    "lsof",
    "netstat",
    "ss",
    "pgrep",
    "systemctl status",
    "docker ps",
    "docker images",
    "docker stats",
    "kubectl get",
    // What is there.
    "which",
    "whereis",
    "uname",
    "arch",
    "locale",
    "nproc",
    "getconf",
    "sw_vers",
    "type",
    "command -v",
    // Text.
    "cat",
    "head",
    "tail",
    "wc",
    "stat",
    "file",
    "find",
    "tree",
    "echo",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "sort",
    "uniq",
    "cut",
    "tr",
    "awk",
    "sed",
    "column",
    "jq",
    "nl",
    "rev",
    "comm",
    "diff",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rule() {
        for yes in [
            "git status -s && echo \"--- LOG ---\" && git log --oneline -10",
            "ls -la 2>&1 | head -20",
            "cat f | awk '{print $1}'",
            "git status > /dev/null",
            "sed -n '1,20p' R",
            "which g++ clang++ 2>&1; echo ---; ls x 2>&1",
            "type ls",
        ] {
            assert!(is_ephemeral(yes), "{yes}");
        }
        for no in [
            "git commit -m x",
            "pytest -q",
            "git status && rm -rf /tmp/x",
            "ls > o",
            "echo $(whoami)",
            "cat u | xargs curl",
            "sed -i s/a/b/ f",
            "ls | tee s",
            "ls &",
            "find . -name x -delete",
            "awk 'BEGIN{system(\"rm\")}'",
            "find . -execdir rm {} +",
            "git branch -D f",
            "git log && git reset --hard H",
            "cat f | sh",
            "command rm -rf /",
            "which g++ > o",
            "git worktree list && git worktree remove w",
        ] {
            assert!(!is_ephemeral(no), "{no}");
        }
    }

    #[test]
    fn each_command_that_looks_is_ephemeral_by_itself_and_as_a_whole_word() {
        for command in LOOKING {
            for yes in [(*command).to_owned(), format!("\t{}\u{3000}-x ", command.to_uppercase().replace(' ', " \t "))]
            {
                assert!(is_ephemeral(&yes), "{yes:?}");
            }
            for no in [format!("{command}x"), format!("{command}中"), format!("{command}_"), format!("x{command}")] {
                assert!(!is_ephemeral(&no), "{no:?}");
            }
        }
    }

    #[test]
    fn marks_of_a_change_are_found_wherever_they_stand() {
        for no in [
            "",
            " \n\u{1f}",
            "echo `id`",
            "diff <(ls a) <(ls b)",
            "cat >(id)",
            "find . -exec id {} ;",
            "grep eval f",
            "echo source",
            "find . -fprintf o x",
            "find . -ok rm ;",
            "find . -newermt 2026-01-01 -print",
            "find . -newer f",
            "ls; sort -u f -o f",
            "awk '{print > \"o\"}'",
            "awk '{print ENVIRON[\"x\"]}'",
            "git branch -qd f",
            "git branch f -m g",
            "git remote update --prune",
            "git show --force",
            "ls < f",
            "ls 1>&2",
            "ls || ",
            "; ls",
            "ls;;pwd",
            "ls |& cat",
        ] {
            assert!(!is_ephemeral(no), "{no:?}");
        }
        for yes in [
            "echo evaluate resources steel",
            "sed -n 1p f | grep -i x",
            "sort f | grep -o x",
            "git branch --merged",
            "git log -M",
            "ls &>/dev/null",
            "ls >/dev/null 2>&1 ; pwd",
            "ls 2> /dev/null",
            "ls||pwd",
            "ls-files",
            "l\u{17f}",
        ] {
            assert!(is_ephemeral(yes), "{yes:?}");
        }
    }

    /// Where the rule is naive its answer is shown, not a better one.
    #[test]
    fn quotes_and_line_ends_are_not_known() {
        assert!(!is_ephemeral("echo \"a;b\""));
        assert!(!is_ephemeral("grep 'a|b' f"));
        assert!(!is_ephemeral("echo \"a > b\""));
        assert!(is_ephemeral("echo 'x;ls'"));
        assert!(is_ephemeral("ls\nrm -rf x"));
    }

    #[test]
    fn a_long_command_takes_no_longer_than_its_length() {
        for unit in ["ls;", "git ", "sed ", "-newer", "git branch -", "xargsxargs", "\u{3000}", "中", "2>&1", "tee_"] {
            let _ = is_ephemeral(&unit.repeat((1 << 20) / unit.len()));
        }
        assert!(is_ephemeral(&format!("cat {}", "中".repeat(1 << 18))));
    }
}
