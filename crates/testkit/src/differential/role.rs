//! What a container is in its pod, and where it stands there: both are in its name, so that every sentence says them.

/// A role.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Role {
    Init,
    Sidecar,
    Main,
}

// === impl Role ===

impl Role {
    const ALL: [Self; 3] = [Self::Init, Self::Sidecar, Self::Main];

    /// What the container in that place of the pod, from 1, is called.
    pub(super) fn name(self, place: usize) -> String {
        format!("{}{place}", self.letter())
    }

    /// Whether that container has this role.
    pub(super) fn is_of(self, name: &str) -> bool {
        Self::of(name) == Some(self)
    }

    /// The role of that container; random pods have no others.
    fn of(name: &str) -> Option<Self> {
        let mut roles = Self::ALL.into_iter();
        roles.find(|role| name.starts_with(role.letter()))
    }

    fn letter(self) -> char {
        match self {
            Self::Init => 'i',
            Self::Sidecar => 'r',
            Self::Main => 'm',
        }
    }
}

/// The place of that container in its pod, from 1.
pub(super) fn place(name: &str) -> usize {
    let number = name.trim_start_matches(char::is_alphabetic);
    number.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_role_and_place() {
        for role in Role::ALL {
            let name = role.name(12);
            assert_eq!((Role::of(&name), place(&name)), (Some(role), 12));
        }
        assert_eq!((Role::of("proxy"), place("proxy")), (None, 0));
    }
}
