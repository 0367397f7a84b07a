//! What tokens cost: dated prices by model, and the price of one model turn (spec/cost.md, Prices).

mod bill;
mod error;
mod model_id;
mod rates;
mod raw;
mod table;

pub use bill::{Bill, ClassCosts, Open, Unpriced, at_the_dearest, bill, client_bill};
pub use error::PriceError;
pub use rates::{Rates, price_of};
pub use table::{Lookup, Period, PriceTable};

pub(super) use model_id::forms as model_forms;
