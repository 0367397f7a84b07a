use super::frontmatter::trimmed;
use super::inventory::{Component, Search, named_once};
use super::names::slug;
use super::tree::{Node, Resolved, base_name, join};
use std::collections::BTreeMap;

impl Search<'_> {
    /// Skills, by the names under which they are called (spec/plugins.md, Skills and commands).
    pub(super) fn skills(&mut self) -> Vec<Component> {
        let files = self.skill_files();
        let files = files.into_iter().filter(|skill| !self.root.is_too_long(&skill.file));
        named_once(files.map(|skill| Component { name: self.full_name(&slug(&skill.name)), ..skill }))
    }

    /// Every skill by its own name, which need not be that under which it is called.
    pub(super) fn skill_files(&mut self) -> Vec<Component> {
        let mut folders = vec![("skills".to_owned(), true)];
        folders.extend(self.declared("skills").into_iter().map(|path| (path, false)));
        if self.manifest.is_none() {
            folders.push((".claude/skills".to_owned(), true));
        }
        let mut skills = BTreeMap::new();
        for (folder, is_default) in folders {
            self.skills_in(&folder, is_default, &mut skills);
        }
        if !self.root.is_folder("skills") && self.key("skills").is_none() {
            self.skill_itself("", &mut skills);
        }
        skills.into_values().collect()
    }

    fn skills_in(&mut self, folder: &str, is_default: bool, skills: &mut BTreeMap<String, Component>) {
        if !is_default && matches!(self.root.resolve(folder), Resolved::Outside) {
            self.found.incomplete = true;
        }
        if self.skill_itself(folder, skills) {
            return;
        }
        for name in self.root.names(folder) {
            let path = join(folder, &format!("{name}/SKILL.md"));
            match self.root.resolve(&path) {
                Resolved::Node(file, Node::File(_)) => {
                    skills.entry(path).or_insert_with(|| Component { name: name.clone(), file });
                }
                Resolved::Missing if !self.root.is_link(&join(folder, name)) => {}
                Resolved::Outside | Resolved::Missing => self.found.incomplete = true,
                Resolved::Node(..) => {}
            }
        }
    }

    /// A folder that is a skill itself, so that none is in it: named by its head, else by the folder.
    fn skill_itself(&mut self, folder: &str, skills: &mut BTreeMap<String, Component>) -> bool {
        let path = join(folder, "SKILL.md");
        let Resolved::Node(file, Node::File(_)) = self.root.resolve(&path) else { return false };
        let shown = self.root.shown(folder);
        let name = trimmed(&self.head_name(&file, base_name(&shown))).to_owned();
        skills.entry(path).or_insert(Component { name, file });
        true
    }
}
